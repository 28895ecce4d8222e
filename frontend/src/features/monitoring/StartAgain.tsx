import { useNavigate } from "react-router";
import { StartButton } from "../../components/StartButton";
import { StartFromButton } from "../../components/StartFromButton";
import { useReason, useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";

/** Starts the binding of a run that has ended, and goes to the new run. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const reason = useReason("operate");
  const open = (run: RunShown) => void navigate(`/t/${slug}/runs/${run.id}`);
  return (
    <>
      <StartButton
        binding={binding}
        name={name}
        words="Start again"
        label={`Start again: ${name}`}
        reason={reason}
        onStarted={open}
      />
      <StartFromButton binding={binding} name={name} reason={reason} onStarted={open} />
    </>
  );
}

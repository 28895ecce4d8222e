import { useNavigate } from "react-router";
import { StartButton } from "../../components/StartButton";
import { useReason, useSlug } from "../../lib/session";

/** Starts the binding of a run that has ended, and goes to the new run. */
export function StartAgain({ binding, name }: { binding: string; name: string }) {
  const slug = useSlug();
  const navigate = useNavigate();
  return (
    <StartButton
      binding={binding}
      name={name}
      words="Start again"
      label={`Start again: ${name}`}
      reason={useReason("operate")}
      onStarted={(run) => void navigate(`/t/${slug}/runs/${run.id}`)}
    />
  );
}

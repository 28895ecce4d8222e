import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { ErrorNote } from "../../components/notices/Notices";
import { useReason, useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { OutputsRead } from "../../model/binding/deliveries";
import { counted } from "../../model/text/counts";

interface Tried {
  /** The tested outputs, to distinguish a test from later edits. */
  asked: string;
  outputs: OutputsRead["outputs"];
  faults: readonly { field?: string | null; message: string; remedy: string }[];
}

function useTrial(binding: string) {
  const slug = useSlug();
  return useMutation({
    mutationFn: async (outputs: OutputsRead["outputs"]): Promise<Tried> => {
      const params = { path: { slug, binding } };
      const { faults } = await unwrap(
        api.POST("/api/t/{slug}/bindings/{binding}/outputs/check/", { params, body: { outputs } }),
      );
      return { asked: JSON.stringify(outputs), outputs, faults };
    },
  });
}

function faultOf({ field }: Tried["faults"][number], { outputs }: Tried): string {
  const place = Number(/^outputs\.(\d+)/.exec(field ?? "")?.[1]);
  const output = outputs[place];
  return output === undefined ? "" : `Output ${place + 1}, ${output.node} to ${output.adapter.kind}: `;
}

function Answer({ tried }: { tried: Tried }) {
  if (tried.faults.length === 0)
    return <p>Connected: {counted(tried.outputs.length, "output")} can receive results.</p>;
  return (
    <ul>
      {tried.faults.map((fault) => (
        <li key={`${fault.field} ${fault.message}`}>
          {faultOf(fault, tried)}
          {fault.message} {fault.remedy}
        </li>
      ))}
    </ul>
  );
}

interface Props {
  binding: string;
  read: () => OutputsRead;
}

/** The connection test: connects with the typed settings as the first delivery would; nothing is stored. */
export function OutputsTrial({ binding, read }: Props) {
  const reason = useReason("edit");
  const trial = useTrial(binding);
  const [unreadable, setUnreadable] = useState(false);
  const { outputs, wrong } = read();
  const ask = () => {
    const sound = Object.keys(wrong).length === 0;
    setUnreadable(!sound);
    if (sound && !trial.isPending) trial.mutate(outputs);
  };
  const current = trial.data?.asked === JSON.stringify(outputs) && !trial.isPending;
  return (
    <div className="stack" aria-live="polite">
      <p className="row">
        <ReasonedButton reason={reason} onClick={ask}>
          {trial.isPending ? "Connecting…" : "Test connection"}
        </ReasonedButton>
        <span className="quiet small">Connects as the first delivery would. Nothing is stored or sent.</span>
      </p>
      {unreadable ? <p>Some fields are invalid: {Object.values(wrong).join(" ")}</p> : null}
      <ErrorNote error={trial.error} />
      {trial.data !== undefined && current ? <Answer tried={trial.data} /> : null}
    </div>
  );
}

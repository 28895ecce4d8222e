import { ErrorNote, Waiting } from "../../../components/Notices";
import { formatInstant } from "../../../model/ticks";
import { useAnswer } from "./requests";
import { useSimulator } from "./view";

/** A place where a node has nothing: the server says why. */
export function WhyNothing({ node, at }: { node: string; at: number }) {
  const { asked } = useSimulator();
  const answer = useAnswer(asked, node, at);
  return (
    <section className="sim-card sim-why" aria-label="Why nothing is here" aria-live="polite">
      <h3>
        {node} at {formatInstant(at)}
      </h3>
      {answer.isPending ? <Waiting>Looking for what would have to come…</Waiting> : null}
      <ErrorNote error={answer.error} />
      {answer.data?.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </section>
  );
}

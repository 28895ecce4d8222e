import { ErrorNote, Waiting } from "../../../components/Notices";
import { Sentences, WhyCard } from "../../../components/WhyCard";
import { formatInstant } from "../../../model/ticks";
import { useAnswer } from "./requests";
import { useSimulator } from "./view";

/** A place where a node has nothing: the server says why. */
export function WhyNothing({ node, at }: { node: string; at: number }) {
  const { asked } = useSimulator();
  const answer = useAnswer(asked, node, at);
  return (
    <WhyCard className="sim-why" label="Why nothing is here" title={`${node} at ${formatInstant(at)}`}>
      {answer.isPending ? <Waiting>Looking for what would have to come…</Waiting> : null}
      <ErrorNote error={answer.error} />
      <Sentences why={answer.data ?? []} />
    </WhyCard>
  );
}

import { ErrorNote, Waiting } from "../../../../components/notices/Notices";
import { Sentences, WhyCard } from "../../../../components/why/WhyCard";
import { formatInstant } from "../../../../model/time/ticks";
import { useAnswer } from "../requests";
import { useSimulator } from "../view";

/** The server's explanation of why a node has no results at a time. */
export function WhyNoResult({ node, at }: { node: string; at: number }) {
  const { asked } = useSimulator();
  const answer = useAnswer(asked, node, at);
  return (
    <WhyCard className="sim-why" label="Why there is no result" title={`${node} at ${formatInstant(at)}`}>
      {answer.isPending ? <Waiting>Finding the reason…</Waiting> : null}
      <ErrorNote error={answer.error} />
      <Sentences why={answer.data ?? []} />
    </WhyCard>
  );
}

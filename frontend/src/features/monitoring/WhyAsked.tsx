import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import { Ask } from "../../components/Ask";
import { Waiting } from "../../components/Notices";
import type { ResultShown, RunShown } from "../../model/api";
import { asWhyParams, type WhyAsked, whyAsked } from "../../model/why";

const WhyResult = lazy(async () => ({ default: (await import("./WhyResult")).WhyResult }));
const WhyPlace = lazy(async () => ({ default: (await import("./WhyPlace")).WhyPlace }));

/** What is asked stands in the address, so that a link leads to the answer. */
export function useWhyAsked() {
  const [params, setParams] = useSearchParams();
  return {
    asked: whyAsked(params),
    ask: (what: WhyAsked | null) => setParams((now) => asWhyParams(now, what), { preventScrollReset: true }),
  };
}

/** The dialog in which a row of the results, or a place without one, is explained. */
export function WhyDialog({ run, rows }: { run: RunShown; rows: readonly ResultShown[] }) {
  const { asked, ask } = useWhyAsked();
  const close = () => ask(null);
  return (
    <Ask
      title={asked?.kind === "place" ? "Why is there no row?" : "Why is this row so?"}
      open={asked !== null}
      onClose={close}
      wide
    >
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        {asked?.kind === "row" ? <WhyResult key={asked.id} binding={run.binding} row={asked.id} /> : null}
        {asked?.kind === "place" ? <WhyPlace run={run} rows={rows} asked={asked} onAsk={ask} /> : null}
      </Suspense>
      <p>
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </p>
    </Ask>
  );
}

import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { Waiting } from "../../../components/notices/Notices";
import type { ResultResponse, RunResponse } from "../../../model/api";
import { asWhyParams, readWhyRequest, type WhyRequest } from "../../../model/results/why";

const WhyResult = lazy(async () => ({ default: (await import("./WhyResult")).WhyResult }));
const WhyPlace = lazy(async () => ({ default: (await import("./WhyPlace")).WhyPlace }));

/** Keep the question in the address, so that a link leads to the answer. */
export function useWhyRequest() {
  const [params, setParams] = useSearchParams();
  return {
    asked: readWhyRequest(params),
    ask: (what: WhyRequest | null) => setParams((now) => asWhyParams(now, what), { preventScrollReset: true }),
  };
}

/** The dialog that explains a result row or a missing row. */
export function WhyDialog({ run, rows }: { run: RunResponse; rows: readonly ResultResponse[] }) {
  const { asked, ask } = useWhyRequest();
  const close = () => ask(null);
  return (
    <ModalDialog
      title={asked?.kind === "place" ? "Why is a row missing?" : "Where does this row come from?"}
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
    </ModalDialog>
  );
}

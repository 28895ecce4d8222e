import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import type { LateResponse, ReplayBody, RunDefinitionResponse, RunResponse } from "../../../model/api";
import { type LateChoice, lateQuery } from "../../../model/results/quarantineFilters";
import { type CorrectedText, correctedRows, originalText } from "../../../model/results/replay";
import { useDefinition } from "../requests";
import type { RunScope } from "../scope";
import { CorrectionTable } from "./CorrectionTable";
import { MostRows } from "./MostRows";
import { RepairStep } from "./RepairStep";
import { ReplayResult } from "./ReplayResult";

export interface ReplayProps {
  run: RunResponse;
  scope: RunScope;
  choice: LateChoice;
  /** The selected rows, by id; empty: all that match the filters. */
  ticked: ReadonlyMap<string, LateResponse>;
}

function typesOf(row: LateResponse, ran: RunDefinitionResponse | undefined): Readonly<Record<string, string>> {
  return ran?.inputs.find(({ node }) => node === row.input)?.definition.fields ?? {};
}

function Chosen({ ticked, scope }: Pick<ReplayProps, "ticked" | "scope">) {
  const all = `All rows that match the filters, ${scope === "own" ? "of this run" : "of all runs of this binding"}`;
  return (
    <p>
      Treats {ticked.size > 0 ? `the ${counted(ticked.size, "selected row")}` : all} as on time. Reads the binding's
      input again and runs its query without and with these rows. Nothing changes until you confirm.
    </p>
  );
}

/** A form for the preview, with malformed rows to fix, and its result. */
export function ReplayForm({ run, scope, choice, ticked }: ReplayProps) {
  const slug = useSlug();
  const ran = useDefinition(run.id, true).data;
  const [most, setMost] = useState("20000");
  const broken = [...ticked.values()].filter((row) => row.outcome === "malformed");
  const [edited, setEdited] = useState<ReadonlyMap<string, CorrectedText>>(new Map());
  const texts = new Map(broken.map((row) => [row.id, edited.get(row.id) ?? originalText(row, typesOf(row, ran))]));
  const asking = useMutation({
    mutationFn: async () => {
      const types = new Map(broken.map((row) => [row.id, typesOf(row, ran)]));
      const chosen =
        ticked.size > 0 ? { ids: [...ticked.keys()], mended: correctedRows(texts, types) } : lateQuery(choice);
      const of = ticked.size === 0 && scope === "own" ? { run: run.id } : {};
      const body = { binding: run.binding, most_rows: Number(most), ...of, ...chosen } as ReplayBody;
      const shown = await unwrap(api.POST("/api/t/{slug}/samples/replay/", { params: { path: { slug } }, body }));
      const same: ReplayBody = {
        binding: run.binding,
        most_rows: Number(most),
        ids: shown.ids,
        mended: body.mended ?? [],
      };
      return { shown, body: same };
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        asking.mutate();
      }}
    >
      <Chosen ticked={ticked} scope={scope} />
      {broken.length === 0 ? null : (
        <CorrectionTable
          rows={broken}
          texts={texts}
          typesOf={(row) => typesOf(row, ran)}
          onChange={(id, text) => setEdited(new Map(edited).set(id, text))}
        />
      )}
      <MostRows value={most} onChange={setMost} />
      <p>
        <button type="submit" className="button" data-kind="primary" disabled={asking.isPending}>
          {asking.isPending ? "Computing…" : "Preview changes"}
        </button>
      </p>
      <ErrorNote error={asking.error} />
      {asking.isPending ? <Waiting>Reading the rows again and running the query without and with them…</Waiting> : null}
      {asking.data === undefined || asking.isPending ? null : (
        <>
          <ReplayResult shown={asking.data.shown} />
          <RepairStep key={asking.submittedAt} {...asking.data} />
        </>
      )}
    </form>
  );
}

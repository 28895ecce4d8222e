import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNote, Waiting } from "../../components/Notices";
import { api, unwrap } from "../../lib/api";
import { counted } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { LateShown, ReplayBody, RunDefinitionShown, RunShown } from "../../model/api";
import { type LateChoice, lateQuery } from "../../model/quarantine";
import { asItCame, type MendedText, mendedRows } from "../../model/replay";
import { MendTable } from "./MendTable";
import { MostRows } from "./MostRows";
import { RepairStep } from "./RepairStep";
import { ReplayResult } from "./ReplayResult";
import { useDefinition } from "./requests";
import type { RunScope } from "./scope";

export interface ReplayProps {
  run: RunShown;
  scope: RunScope;
  choice: LateChoice;
  /** The rows that were ticked, by id; none: all that the filters let through. */
  ticked: ReadonlyMap<string, LateShown>;
}

function typesOf(row: LateShown, ran: RunDefinitionShown | undefined): Readonly<Record<string, string>> {
  return ran?.inputs.find(({ node }) => node === row.input)?.definition.fields ?? {};
}

function Chosen({ ticked, scope }: Pick<ReplayProps, "ticked" | "scope">) {
  const all = `All rows that the filters let through, ${scope === "own" ? "of this run" : "of all runs of this binding"}`;
  return (
    <p>
      {ticked.size > 0 ? `The ${counted(ticked.size, "chosen row")}` : all}, as if in time: what the binding has read is
      read again, and its query runs without and with what is chosen. Nothing changes before you say so.
    </p>
  );
}

/** The question, with malformed rows to mend, and the answer. */
export function Replay({ run, scope, choice, ticked }: ReplayProps) {
  const slug = useSlug();
  const ran = useDefinition(run.id, true).data;
  const [most, setMost] = useState("20000");
  const broken = [...ticked.values()].filter((row) => row.outcome === "malformed");
  const [edited, setEdited] = useState<ReadonlyMap<string, MendedText>>(new Map());
  const texts = new Map(broken.map((row) => [row.id, edited.get(row.id) ?? asItCame(row, typesOf(row, ran))]));
  const asking = useMutation({
    mutationFn: async () => {
      const types = new Map(broken.map((row) => [row.id, typesOf(row, ran)]));
      const chosen =
        ticked.size > 0 ? { ids: [...ticked.keys()], mended: mendedRows(texts, types) } : lateQuery(choice);
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
        <MendTable
          rows={broken}
          texts={texts}
          typesOf={(row) => typesOf(row, ran)}
          onChange={(id, text) => setEdited(new Map(edited).set(id, text))}
        />
      )}
      <MostRows value={most} onChange={setMost} />
      <p>
        <button type="submit" className="button" data-kind="primary" disabled={asking.isPending}>
          {asking.isPending ? "Computing…" : "Say what would change"}
        </button>
      </p>
      <ErrorNote error={asking.error} />
      {asking.isPending ? (
        <Waiting>Reading the rows again, and running the query without and with them…</Waiting>
      ) : null}
      {asking.data === undefined || asking.isPending ? null : (
        <>
          <ReplayResult shown={asking.data.shown} />
          <RepairStep key={asking.submittedAt} {...asking.data} />
        </>
      )}
    </form>
  );
}

import { CopyButton } from "../../../components/actions/CopyButton";
import { ErrorNote } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Elapsed } from "../../../components/values/Elapsed";
import { Snippets } from "../../../components/values/Snippets";
import { useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import { downloadedWords, FORMATS, progressWords } from "../../../messages/results/resultExport";
import type { ChartResponse } from "../../../model/api";
import type { ChartDefinition } from "../../../model/results/chart";
import { curlSnippet, outputAddress, pythonSnippet } from "../../../model/results/readSnippets";
import { AddToBoard } from "./AddToBoard";
import { useChartFile } from "./requests";

interface ExportPanelProps {
  binding: string;
  definition: ChartDefinition;
  chart: ChartResponse;
}

function ShareLink() {
  return (
    <Panel title="Link to this chart" note="Members of the organisation see the same chart, with its newest results">
      <CopyButton text={window.location.href} label="Copy the link" byHand="Copy it from the address bar." />
    </Panel>
  );
}

/** The results of the chart to take away: as a file, as a link, and from programs. */
export function ExportPanel({ binding, definition, chart }: ExportPanelProps) {
  const slug = useSlug();
  const { downloading, progress } = useChartFile(binding, definition, chart.output);
  const { isPending, variables, data, error } = downloading;
  const address = outputAddress(window.location.origin, slug, binding, chart.output);
  return (
    <div className="take-away">
      <Panel
        title={`Export ${counted(chart.rows, "result")}`}
        note="The results of this chart one by one, whatever their bucket, and never reduced"
      >
        <ul className="export-formats">
          {FORMATS.map(([format, words]) => (
            <li key={format}>
              <button type="button" disabled={isPending} onClick={() => downloading.mutate(format)}>
                <strong>{words.split(": ")[0]}</strong> <span className="quiet">{words.split(": ")[1]}</span>
              </button>
            </li>
          ))}
        </ul>
        <p role="status" className="small">
          {isPending && variables !== undefined ? progressWords(progress) : ""}
          {data ? downloadedWords(data) : ""} {isPending ? <Elapsed /> : null}
        </p>
        <ErrorNote error={error} />
      </Panel>
      <ShareLink />
      <Panel title="Board" note="This chart next to others, on one page">
        <AddToBoard binding={binding} definition={definition} />
      </Panel>
      <details className="panel">
        <summary>Read these results from a program</summary>
        <div className="stack">
          <Snippets purpose="Read results" texts={{ curl: curlSnippet(address), Python: pythonSnippet(address) }} />
        </div>
      </details>
    </div>
  );
}

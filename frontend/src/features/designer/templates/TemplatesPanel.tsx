import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { useReason, useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import type { TemplateDetailResponse } from "../../../model/api";
import { OUTCOME_WORDS, type Outcome } from "../../../model/run/outcomes";
import { useDesigner } from "../page/designer";
import { useExample } from "../page/example";
import { OwnStreams } from "./OwnStreams";
import { useTakeTemplate, useTemplates } from "./requests";
import "./templates.css";

/** Summarise the sample: the numbers of rows, of late rows by outcome, and of results. */
function sampleWords({ rows, results, late }: TemplateDetailResponse): string {
  const outcomes = Object.entries(late).map(
    ([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome as Outcome].label.toLowerCase()}`,
  );
  return [counted(rows, "row"), ...outcomes, counted(results, "result")].join(" · ");
}

interface CardProps {
  template: TemplateDetailResponse;
  reason: string | null;
  taking: boolean;
  onTake: () => void;
  onChoose: () => void;
}

function Card({ template, reason, taking, onTake, onChoose }: CardProps) {
  return (
    <li className="template stack">
      <h3>{template.title}</h3>
      <p>{template.shows}</p>
      <p className="quiet small">{sampleWords(template)}</p>
      <details>
        <summary>SQL</summary>
        <pre>{template.sql}</pre>
      </details>
      <p className="row">
        <ReasonedButton reason={reason} onClick={onTake} aria-label={`Use template: ${template.title}`}>
          {taking ? "Creating…" : "Use template"}
        </ReasonedButton>
        <button
          type="button"
          className="button"
          aria-haspopup="dialog"
          aria-label={`Use my streams: ${template.title}`}
          onClick={onChoose}
        >
          Use my streams…
        </button>
      </p>
    </li>
  );
}

function Gallery() {
  const slug = useSlug();
  const navigate = useNavigate();
  const reason = useReason("edit");
  const templates = useTemplates();
  const taking = useTakeTemplate();
  const [chosen, choose] = useState<TemplateDetailResponse | null>(null);
  const take = (name: string) =>
    taking.mutate(name, { onSuccess: (query) => void navigate(`/t/${slug}/queries/${query.id}`) });
  return (
    <Panel
      title="Start from a template"
      note="A template creates a query, its streams with sample rows in files, and a scenario. It can also read your own streams. Or write your own query below."
    >
      <div className="stack">
        <ErrorNote error={templates.error} onRetry={() => void templates.refetch()} />
        <ErrorNote error={taking.error} />
        {templates.isPending ? <Waiting>Loading the templates…</Waiting> : null}
        <ul className="templates">
          {(templates.data ?? []).map((template) => (
            <Card
              key={template.name}
              template={template}
              reason={reason ?? (taking.isPending ? "A query is being created." : null)}
              taking={taking.isPending && taking.variables === template.name}
              onTake={() => take(template.name)}
              onChoose={() => choose(template)}
            />
          ))}
        </ul>
      </div>
      {chosen === null ? null : (
        <OwnStreams template={chosen} onTake={() => take(chosen.name)} onClose={() => choose(null)} />
      )}
    </Panel>
  );
}

/** Templates for a new query, unless it starts from something else. */
export function TemplatesPanel() {
  const { query } = useDesigner();
  const example = useExample();
  const copied = useSearchParams()[0].has("copy");
  return query === null && example === null && !copied ? <Gallery /> : null;
}

import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { ErrorNote, Waiting } from "../../../components/Notices";
import { Panel } from "../../../components/Panel";
import { ReasonedButton } from "../../../components/Reasoned";
import { counted } from "../../../lib/numbers";
import { useReason, useSlug } from "../../../lib/session";
import type { TemplateShown } from "../../../model/api";
import { OUTCOME_WORDS, type Outcome } from "../../../model/outcomes";
import { useDesigner } from "../page/designer";
import { useExample } from "../page/example";
import { OwnStreams } from "./OwnStreams";
import { useTakeTemplate, useTemplates } from "./requests";
import "./templates.css";

/** The sample in figures: how many rows come, how many of them late and what becomes of these, how many results leave. */
function sampleWords({ rows, results, late }: TemplateShown): string {
  const outcomes = Object.entries(late).map(
    ([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome as Outcome].label.toLowerCase()}`,
  );
  return [counted(rows, "row"), ...outcomes, counted(results, "result")].join(" · ");
}

interface CardProps {
  template: TemplateShown;
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
        <summary>Its SQL</summary>
        <pre>{template.sql}</pre>
      </details>
      <p className="row">
        <ReasonedButton reason={reason} onClick={onTake} aria-label={`Begin with this: ${template.title}`}>
          {taking ? "Making it…" : "Begin with this"}
        </ReasonedButton>
        <button
          type="button"
          className="button"
          aria-haspopup="dialog"
          aria-label={`On my streams: ${template.title}`}
          onClick={onChoose}
        >
          On my streams…
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
  const [chosen, choose] = useState<TemplateShown | null>(null);
  const take = (name: string) =>
    taking.mutate(name, { onSuccess: (query) => void navigate(`/t/${slug}/queries/${query.id}`) });
  return (
    <Panel
      title="Begin with a real task"
      note="Beginning with one makes its query, the streams that it reads, with some rows in files, and its sample as a scenario. Or let it read streams that you have. Or write your own below."
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
              reason={reason ?? (taking.isPending ? "A query is being made." : null)}
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

/** Real tasks to begin a new query with, if it was not begun with something else. */
export function TemplatesPanel() {
  const { query } = useDesigner();
  const example = useExample();
  const copied = useSearchParams()[0].has("copy");
  return query === null && example === null && !copied ? <Gallery /> : null;
}

import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { useReason, useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import type { TemplateDetailResponse } from "../../../model/api";
import { OUTCOME_WORDS, type Outcome } from "../../../model/run/outcomes";
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

/** The address of a new query opens the templates with this parameter. */
const PARAMETER = "templates";

/** A button that opens the templates; a chosen one replaces the page by its query. */
export function TemplatesButton() {
  const slug = useSlug();
  const navigate = useNavigate();
  const reason = useReason("edit");
  const [asked] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(asked.has(PARAMETER)), [asked]);
  const templates = useTemplates(isOpen);
  const taking = useTakeTemplate();
  const [chosen, choose] = useState<TemplateDetailResponse | null>(null);
  const take = (name: string) =>
    taking.mutate(name, { onSuccess: (query) => void navigate(`/t/${slug}/queries/${query.id}`) });
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Templates…
      </button>
      <ModalDialog title="Start from a template" open={isOpen && chosen === null} wide onClose={() => setOpen(false)}>
        <p>
          A template creates a query, its streams with sample rows in files, and a scenario. It can also read your own
          streams.
        </p>
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
      </ModalDialog>
      {chosen === null ? null : (
        <OwnStreams template={chosen} onTake={() => take(chosen.name)} onClose={() => choose(null)} />
      )}
    </>
  );
}

import { Link } from "react-router";
import { useSlug } from "../../../lib/account/session";
import type { RunResponse } from "../../../model/api";
import { type LateChoice, lateParams } from "../../../model/results/quarantineFilters";
import type { RunScope } from "../scope";

const FORMATS = [
  ["csv", "CSV"],
  ["json_lines", "JSON lines"],
] as const;

interface Props {
  run: RunResponse;
  scope: RunScope;
  choice: LateChoice;
}

/** Export selected quarantined rows to a file, or open them in the simulator to fix and try them. */
export function QuarantineExport({ run, scope, choice }: Props) {
  const slug = useSlug();
  const again = lateParams(choice);
  again.set("quarantine", run.binding);
  return (
    <>
      {FORMATS.map(([format, words]) => {
        const asked = lateParams(choice);
        asked.set("format", format);
        asked.set("runs", scope);
        return (
          <a
            key={format}
            className="button"
            href={`/api/t/${slug}/runs/${run.id}/quarantine/file/?${asked}`}
            aria-label={`Export selected rows as ${words}`}
            title="All rows that match the filters"
            download
          >
            {words}
          </a>
        );
      })}
      {run.query === null ? null : (
        <Link
          className="button"
          to={`/t/${slug}/queries/${run.query}?${again}`}
          title="The newest 100 rows of all runs of this binding that match the filters, to fix and try"
        >
          Try in the simulator
        </Link>
      )}
    </>
  );
}

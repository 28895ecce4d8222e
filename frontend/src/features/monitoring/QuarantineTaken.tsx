import { Link } from "react-router";
import { useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";
import { type LateChoice, lateParams } from "../../model/quarantine";
import type { RunScope } from "./scope";

const FORMATS = [
  ["csv", "CSV"],
  ["json_lines", "JSON lines"],
] as const;

interface Props {
  run: RunShown;
  scope: RunScope;
  choice: LateChoice;
}

/** What is chosen of a quarantine as a file, and in the simulator, where it can be mended and tried. */
export function QuarantineTaken({ run, scope, choice }: Props) {
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
            aria-label={`Take out what is chosen as ${words}`}
            title="All rows that the filters let through"
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
          title="The newest 100 rows that the filters let through, of all runs of this binding: mend them and see what they do"
        >
          Try in the simulator
        </Link>
      )}
    </>
  );
}

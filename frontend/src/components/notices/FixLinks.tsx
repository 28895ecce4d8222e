import { Fragment } from "react";
import { Link } from "react-router";
import { useSlug } from "../../lib/account/session";
import type { FixTarget } from "../../model/api";

const PAGES = { stream: "streams", query: "queries", binding: "bindings" } as const;

/** Links to the pages where the error can be fixed, the likeliest first. */
export function FixLinks({ targets }: { targets: readonly FixTarget[] }) {
  const slug = useSlug();
  if (targets.length === 0) return null;
  return (
    <p>
      Edit{" "}
      {targets.map(({ kind, id, name }, index) => (
        <Fragment key={`${kind} ${id}`}>
          {index === 0 ? "" : index === targets.length - 1 ? " or " : ", "}
          the {kind}{" "}
          <Link to={`/t/${slug}/${PAGES[kind]}/${id}`}>
            <bdi>{name}</bdi>
          </Link>
        </Fragment>
      ))}
      .
    </p>
  );
}

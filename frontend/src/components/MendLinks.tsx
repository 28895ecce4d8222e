import { Fragment } from "react";
import { Link } from "react-router";
import { useSlug } from "../lib/session";
import type { MendTarget } from "../model/api";

const PAGES = { stream: "streams", query: "queries", binding: "bindings" } as const;

/** Where what a message asks for is done: the pages of what can be changed, the likeliest first. */
export function MendLinks({ targets }: { targets: readonly MendTarget[] }) {
  const slug = useSlug();
  if (targets.length === 0) return null;
  return (
    <p>
      Change{" "}
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

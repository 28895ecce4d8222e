import { Link } from "react-router";
import { useSlug } from "../lib/session";

interface Props {
  binding: { id: string; name: string };
  /** Left out where it is not known, or was deleted. */
  query?: { id: string; name: string } | undefined;
}

/** Where what a message asks for is done: the pages of the binding and of its query. */
export function MendLinks({ binding, query }: Props) {
  const slug = useSlug();
  return (
    <p>
      Change the binding <Link to={`/t/${slug}/bindings/${binding.id}`}>{binding.name}</Link>
      {query === undefined ? null : (
        <>
          {" "}
          or the query <Link to={`/t/${slug}/queries/${query.id}`}>{query.name}</Link>
        </>
      )}
      .
    </p>
  );
}

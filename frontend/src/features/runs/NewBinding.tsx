import { Link, useSearchParams } from "react-router";
import { Ask } from "../../components/Ask";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { ReasonedButton } from "../../components/Reasoned";
import { useFreshOnce } from "../../lib/freshOnce";
import { useReason, useSlug } from "../../lib/session";
import type { QueryShown } from "../../model/api";
import { BindingForm } from "./BindingForm";
import { useCreateBinding, useQueryChoices } from "./requests";

/** What the address says while the dialog is open: so others link to it, and the back button closes it. */
const ASKED = "new";

interface CreatingProps {
  queries: readonly QueryShown[];
  first: string;
  onDone: () => void;
}

function Creating({ queries, first, onDone }: CreatingProps) {
  const { mutate, isPending, error } = useCreateBinding();
  const creating = {
    mutate: (body: Parameters<typeof mutate>[0], then: { onSuccess: () => void }) => {
      const onSuccess = () => {
        then.onSuccess();
        onDone();
      };
      mutate(body, { onSuccess });
    },
    isPending,
    error,
  };
  return <BindingForm queries={queries} first={first} creating={creating} onCancel={onDone} />;
}

function Choosing({ first, onDone }: Pick<CreatingProps, "first" | "onDone">) {
  const slug = useSlug();
  const queries = useQueryChoices();
  const fresh = useFreshOnce(queries);
  if (queries.isError) return <ErrorNote error={queries.error} onRetry={() => void queries.refetch()} />;
  if (!fresh || queries.data === undefined) return <Waiting>Loading the queries…</Waiting>;
  if (queries.data.length > 0) return <Creating queries={queries.data} first={first} onDone={onDone} />;
  return (
    <Empty title="There is no query to bind yet.">
      <p>
        <Link to={`/t/${slug}/queries/new`}>Write a query</Link> first.
      </p>
    </Empty>
  );
}

/** Binds the newest version of a query to the streams that it names; `?new=<query>` asks for that query. */
export function NewBinding() {
  const reason = useReason("edit");
  const [asked, ask] = useSearchParams();
  const query = asked.get(ASKED);
  const close = () => ask({}, { replace: true });
  return (
    <>
      <ReasonedButton reason={reason} onClick={() => ask({ [ASKED]: "" })}>
        New binding…
      </ReasonedButton>
      <Ask title="New binding" open={query !== null && reason === null} onClose={close}>
        <Choosing first={query ?? ""} onDone={close} />
      </Ask>
    </>
  );
}

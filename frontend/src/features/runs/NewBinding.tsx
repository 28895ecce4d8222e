import { Link, useSearchParams } from "react-router";
import { ModalDialog } from "../../components/actions/ModalDialog";
import { ReasonedButton } from "../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { useReason, useSlug } from "../../lib/account/session";
import { useFreshOnce } from "../../lib/freshOnce";
import type { QuerySummary } from "../../model/api";
import { BindingForm } from "./BindingForm";
import { useCreateBinding, useQueryChoices } from "./requests";

/** The search parameter while the dialog is open, so that others can link to it and the back button closes it. */
const ASKED = "new";

interface CreatingProps {
  queries: readonly QuerySummary[];
  first: string;
  onDone: () => void;
}

function Creating({ queries, first, onDone }: CreatingProps) {
  const { mutate, isPending, error } = useCreateBinding();
  const creating = {
    mutate: ({ body, onStored }: Parameters<typeof mutate>[0]) => mutate({ body, onStored }, { onSuccess: onDone }),
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
    <Empty title="No queries yet">
      <p>
        <Link to={`/t/${slug}/queries/new`}>Write a query</Link> first.
      </p>
    </Empty>
  );
}

/** Bind the newest version of a query to the streams that it names; `?new=<query>` preselects a query. */
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
      <ModalDialog title="New binding" open={query !== null && reason === null} onClose={close}>
        <Choosing first={query ?? ""} onDone={close} />
      </ModalDialog>
    </>
  );
}

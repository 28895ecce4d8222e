import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { DraftGuard } from "../../components/DraftGuard";
import { EntryForm } from "../../components/EntryForm";
import { api, unwrap } from "../../lib/api";
import { useDrafted } from "../../lib/drafts";
import { withFields } from "../../lib/fieldFailure";
import { ME } from "../../lib/session";
import { shortNameOf } from "../../model/shortName";

interface Typed {
  name: string;
  /** The short name, once it was typed; until then it follows the name. */
  own: string | null;
}

/** What is wrong with a short name is told at its field. */
function create(name: string, slug: string) {
  return withFields(unwrap(api.POST("/api/organisations/", { body: { name, slug } })));
}

/** The form for a new organisation, whose first owner is whoever sends it. */
export function NewOrganisation({ onCancel }: { onCancel?: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const draft = useDrafted<Typed>("new organisation", { name: "", own: null });
  const { name, own } = draft.value;
  const slug = own ?? shortNameOf(name);
  const cancel = () => {
    draft.done();
    onCancel?.();
  };
  return (
    <EntryForm
      entries={[
        {
          name: "name",
          label: "Name",
          value: name,
          onChange: (next) => draft.change({ name: next, own }),
          autoComplete: "organization",
        },
        {
          name: "slug",
          label: "Short name",
          value: slug,
          onChange: (next) => draft.change({ name, own: next }),
          mono: true,
          help: `It stands in the addresses of its pages: /t/${slug || "…"}/. It cannot be changed later.`,
        },
      ]}
      words={["Create the organisation", "Creating it…"]}
      send={(values) => create(values.name?.trim() ?? "", values.slug?.trim() ?? "")}
      onSent={async (made) => {
        draft.done();
        await queries.invalidateQueries({ queryKey: ME });
        await navigate(`/t/${made.slug}`);
      }}
      {...(onCancel === undefined ? {} : { onCancel: cancel })}
      focus
    >
      <DraftGuard draft={draft} />
    </EntryForm>
  );
}

import { type ReactNode, useState } from "react";
import { BINDING_FORMS, bindingDraft, outputsDraft, useDraftNames } from "../../lib/drafts/drafts";
import { saveForms, unsavedForms } from "../../lib/drafts/unsavedForms";
import { ModalDialog } from "../actions/ModalDialog";

/** The labels of a binding's drafts. */
export function draftsOf(binding: string): Record<string, string> {
  return { [bindingDraft(binding)]: BINDING_FORMS.settings, [outputsDraft(binding)]: BINDING_FORMS.outputs };
}

interface UnsavedWork {
  /** The labels of the unsaved forms. */
  forms: string[];
  /** True if the page has the forms and can save each of them. */
  savable: boolean;
  go: () => void;
}

interface QuestionProps {
  name: string;
  asked: UnsavedWork;
  onClose: () => void;
}

function Question({ name, asked, onClose }: QuestionProps) {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    if (saving) return;
    setSaving(true);
    const saved = await saveForms();
    onClose();
    if (saved) asked.go();
  };
  const without = () => {
    onClose();
    asked.go();
  };
  return (
    <ModalDialog title={`Start ${name} without your changes?`} open onClose={onClose}>
      <p>
        A run uses the saved version. Not saved yet: <strong>{asked.forms.join(", ")}</strong>.
      </p>
      {asked.savable ? null : <p>To run these changes, save them on the page where you made them, then start.</p>}
      <p className="row">
        {asked.savable ? (
          <button
            type="button"
            className="button"
            data-kind="primary"
            aria-disabled={saving}
            onClick={() => void save()}
          >
            {saving ? "Saving…" : "Save and start"}
          </button>
        ) : null}
        <button type="button" className="button" onClick={without}>
          Start without changes
        </button>
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
      </p>
    </ModalDialog>
  );
}

/**
 * Ask before a start while the page has unsaved forms, or this browser a draft of `objects`, because a run uses the
 * saved version. Without unsaved changes `guard` calls `go` at once.
 */
export function useSaveFirst(
  name: string,
  objects: Readonly<Record<string, string>>,
): { guard: (go: () => void) => void; question: ReactNode } {
  const [asked, setAsked] = useState<UnsavedWork | null>(null);
  const kept = useDraftNames(objects);
  const guard = (go: () => void) => {
    const forms = unsavedForms();
    const names = forms.length > 0 ? forms.map(({ what = "this page" }) => what) : kept();
    if (names.length === 0) go();
    else setAsked({ forms: names, savable: forms.length > 0 && forms.every(({ save }) => save !== undefined), go });
  };
  const question = asked === null ? null : <Question name={name} asked={asked} onClose={() => setAsked(null)} />;
  return { guard, question };
}

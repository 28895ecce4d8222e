import { useState } from "react";
import { CopyButton } from "../actions/CopyButton";
import { Scroll } from "../page/Scroll";

interface SnippetsProps {
  /** The purpose of the programs, for example "Push rows". */
  purpose: string;
  /** The text of each program by its language. */
  texts: Record<string, string>;
}

/** A program in several languages: a choice of the language, its text, and a copy button. */
export function Snippets({ purpose, texts }: SnippetsProps) {
  const languages = Object.keys(texts);
  const [chosen, setChosen] = useState(languages[0] ?? "");
  const text = texts[chosen] ?? "";
  return (
    <>
      <fieldset className="row group">
        <legend>{purpose}</legend>
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            className="button"
            data-kind={each === chosen ? "primary" : undefined}
            aria-pressed={each === chosen}
            onClick={() => setChosen(each)}
          >
            {each}
          </button>
        ))}
        <CopyButton text={text} />
      </fieldset>
      <Scroll label={`${purpose} from ${chosen}`}>
        <pre className="snippet">{text}</pre>
      </Scroll>
    </>
  );
}

import type { ReactNode } from "react";
import "./why.css";

/** An explanation, one sentence per line. */
export function Sentences({ why }: { why: readonly string[] }) {
  return why.map((sentence) => <p key={sentence}>{sentence}</p>);
}

interface WhyCardProps {
  title: ReactNode;
  label?: string;
  className?: string;
  tone?: string;
  children: ReactNode;
}

/** A card that explains one item. */
export function WhyCard({ title, label = "Explanation", className = "", tone, children }: WhyCardProps) {
  return (
    <section className={`why-card ${className}`.trim()} aria-label={label} aria-live="polite">
      <h3 style={tone === undefined ? undefined : { color: tone }}>{title}</h3>
      {children}
    </section>
  );
}

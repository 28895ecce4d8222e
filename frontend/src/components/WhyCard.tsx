import type { ReactNode } from "react";
import "./why.css";

/** Why something is so, sentence by sentence. */
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

/** What is asked about, and why it is so. */
export function WhyCard({ title, label = "Why it is so", className = "", tone, children }: WhyCardProps) {
  return (
    <section className={`why-card ${className}`.trim()} aria-label={label} aria-live="polite">
      <h3 style={tone === undefined ? undefined : { color: tone }}>{title}</h3>
      {children}
    </section>
  );
}

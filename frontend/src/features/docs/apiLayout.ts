import type { ComponentType, createElement, ReactElement } from "react";

/** The system that Swagger UI passes to its components: its own React (elements of another one fail), its parts by name, and the loading state. */
interface Reference {
  React: { createElement: typeof createElement };
  getComponent: (name: string, container?: boolean) => ComponentType;
  specSelectors: { loadingStatus: () => string | undefined };
}

/**
 * The calls as a part of a page. The library's own layout renders a `main` and a title, which the page already has,
 * and starts with third-level headings.
 */
function PunctualLayout({ React, getComponent, specSelectors }: Reference): ReactElement {
  const element = React.createElement;
  const part = (name: string) => element(getComponent(name, true));
  const status = specSelectors.loadingStatus();
  if (status === "failed") {
    return element("p", { role: "alert" }, "The OpenAPI file could not be loaded. Reload the page.");
  }
  if (status !== "success") return element("p", null, "Loading the calls…");
  const parts = [part("errors"), part("FilterContainer"), element("h2", null, "Calls"), part("operations")];
  return element("div", { className: "swagger-ui" }, ...parts, part("Models"));
}

/** Give the response tables their table role: the library marks them as regions, which hides the table from screen readers. */
function sayTable(around: HTMLElement | null): void {
  around?.querySelector("table.responses-table")?.removeAttribute("role");
}

const wrapResponses =
  (original: ComponentType, { React }: Reference) =>
  (props: object) =>
    React.createElement("div", { ref: sayTable }, React.createElement(original, props));

export const API_LAYOUT = "PunctualLayout";

/** A Swagger UI plugin with the layout. */
export const apiLayout = {
  components: { [API_LAYOUT]: PunctualLayout },
  wrapComponents: { responses: wrapResponses },
};

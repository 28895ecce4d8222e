import type { ComponentType, createElement, ReactElement } from "react";

/** What Swagger UI gives to a component that it builds: its React (no other's elements fit in), its parts by name, and how far the file is. */
interface Reference {
  React: { createElement: typeof createElement };
  getComponent: (name: string, container?: boolean) => ComponentType;
  specSelectors: { loadingStatus: () => string | undefined };
}

/**
 * The calls as a part of a page: the library's own layout draws a `main` and a title, which a page has already, and
 * begins with headings of the third level.
 */
function PunctualLayout({ React, getComponent, specSelectors }: Reference): ReactElement {
  const element = React.createElement;
  const part = (name: string) => element(getComponent(name, true));
  const status = specSelectors.loadingStatus();
  if (status === "failed") {
    return element("p", { role: "alert" }, "The OpenAPI file could not be loaded. Load the page again.");
  }
  if (status !== "success") return element("p", null, "Loading the calls…");
  const parts = [part("errors"), part("FilterContainer"), element("h2", null, "Calls"), part("operations")];
  return element("div", { className: "swagger-ui" }, ...parts, part("Models"));
}

/** Its table of answers says that it is a region, which would hide from a screen reader that it is a table. */
function sayTable(around: HTMLElement | null): void {
  around?.querySelector("table.responses-table")?.removeAttribute("role");
}

const wrapResponses =
  (original: ComponentType, { React }: Reference) =>
  (props: object) =>
    React.createElement("div", { ref: sayTable }, React.createElement(original, props));

export const API_LAYOUT = "PunctualLayout";

/** A plugin of Swagger UI that brings the layout. */
export const apiLayout = {
  components: { [API_LAYOUT]: PunctualLayout },
  wrapComponents: { responses: wrapResponses },
};

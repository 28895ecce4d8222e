/// <reference types="vite/client" />

declare module "virtual:guide" {
  /** One page of the guide: `name` is empty for the index, `html` is trusted, `text` is what a search looks through. */
  export const PAGES: readonly { name: string; title: string; html: string; text: string }[];
}

declare module "virtual:guide-examples" {
  /** What the simulator opens, by the name of the example: its query as SQL, its streams and rows; `page` is its page. */
  export const EXAMPLES: Readonly<
    Record<
      string,
      {
        page: string;
        caption: string;
        text: string;
        streams: Record<string, import("./model/api").StreamDefinition>;
        rows: import("./model/simulation/sample").SampleItem[];
        end: import("./model/simulation/sample").EndMode;
      }
    >
  >;
}

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  const SwaggerUI: (options: Record<string, unknown>) => unknown;
  export default SwaggerUI;
}

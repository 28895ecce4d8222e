/// <reference types="vite/client" />

declare module "virtual:guide" {
  /** One page of the guide: `name` is empty for the index, `html` is trusted, `text` is for the search. */
  export const PAGES: readonly { name: string; title: string; html: string; text: string }[];
}

declare module "virtual:guide-examples" {
  /** The simulator's examples by name: the query as SQL, its streams and rows; `page` is the guide page. */
  export const EXAMPLES: Readonly<
    Record<
      string,
      {
        page: string;
        caption: string;
        text: string;
        streams: Record<string, import("./model/api").StreamDefinition>;
        rows: import("./model/simulation/sample/sample").SampleItem[];
        end: import("./model/simulation/sample/sample").EndMode;
      }
    >
  >;
}

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  const SwaggerUI: (options: Record<string, unknown>) => unknown;
  export default SwaggerUI;
}

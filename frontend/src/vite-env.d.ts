/// <reference types="vite/client" />

declare module "virtual:guide" {
  /** One page of the guide: `name` is empty for the index, `html` is trusted, `text` is what a search looks through. */
  export const PAGES: readonly { name: string; title: string; html: string; text: string }[];
}

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  const SwaggerUI: (options: Record<string, unknown>) => unknown;
  export default SwaggerUI;
}

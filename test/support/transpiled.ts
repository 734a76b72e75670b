/** @param file the name of the source @returns JavaScript, as suites run it */
export const { transpiled } = (await import(new URL('../runner/typescript.mjs', import.meta.url).href)) as {
  transpiled(source: string, file: string): string;
};

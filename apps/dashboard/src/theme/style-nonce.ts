const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** With which style elements made by scripts are let through by the content security policy. */
export const styleNonce = (): string => nonce;

/** Where the dialogs' lock on scrolling looks for it (package get-nonce). */
Object.assign(globalThis, { __webpack_nonce__: nonce });

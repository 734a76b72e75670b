const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The content security policy requires it on style elements made by scripts. */
export const styleNonce = (): string => nonce;

/** The package get-nonce, used by the scroll lock of dialogs, reads this global. */
Object.assign(globalThis, { __webpack_nonce__: nonce });

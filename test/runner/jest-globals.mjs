// `@jest/globals` of the suites.
const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test };

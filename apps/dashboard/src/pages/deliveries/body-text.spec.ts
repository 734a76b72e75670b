import { expect, it } from '@jest/globals';
import { bodyText } from './body-text.js';

it('puts one field of JSON in a line', () => {
  expect(bodyText('{"eventType":"webhook.test","deep":{"a":1}}')).toBe(
    '{\n  "eventType": "webhook.test",\n  "deep": {\n    "a": 1\n  }\n}',
  );
});

it.each(['', 'no JSON', '<script>alert(1)</script>', '{"half":'])('leaves %j as it is', (body) => {
  expect(bodyText(body)).toBe(body);
});

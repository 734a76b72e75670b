import { blocksOf, fencedBlocks, shownCommands, shownOutput } from './page.js';

describe('what a page shows', () => {
  it('is a command, over as many lines as its quotes, and its output', () => {
    const text = "a\n```console\n$ call -d '{\n  1}'\n{2}\n$ pwd\n```\n```\nno command\n```\n";
    const [block = ''] = fencedBlocks(text, 'console');
    expect(shownCommands(block)).toEqual([
      { command: "call -d '{\n  1}'", output: '{2}\n' },
      { command: 'pwd', output: '' },
    ]);
    expect(fencedBlocks(text, '')).toEqual(['no command\n']);
    expect(blocksOf(text).map(({ language }) => language)).toEqual(['console', '']);
  });

  it('is read in lists, too, without their indentation', () => {
    expect(fencedBlocks('1. a\n\n   ```sh\n   one \\\n     two\n   ```\n', 'sh')).toEqual(['one \\\n  two\n']);
  });

  it('matches what is the same but for ids, and what is left out', () => {
    const shown = shownOutput('{"id":"01a1fda8-2cab-7a30-bdad-18219983d7a3",\n "key":"uck_12…", … "a.b":1}');
    const id = '01a1fdae-2810-7f24-8f16-fa8d6a2e5b9b';
    expect(`{"id":"${id}","key":"uck_99x","more":2,"a.b":1}`).toMatch(shown);
    for (const other of ['"a.b":2', '"axb":1', '"a.b":1,"c":3']) {
      expect(`{"id":"${id}","key":"uck_99x","more":2,${other}}`).not.toMatch(shown);
    }
    expect('{"id":"x","key":"uck_99x","a.b":1}').not.toMatch(shown);
  });
});

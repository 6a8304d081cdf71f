// Parses every diagram of the given documents with the real Mermaid, and writes a page of each document for a browser.
// usage: node render.mjs OUT DOCUMENT…
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JSDOM } from 'jsdom';
import { marked } from 'marked';

const { window } = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import('mermaid');

const [out, ...documents] = process.argv.slice(2);
const states = ['prepared', 'confirmed', 'rejected', 'unknown', 'reconciled', 'compensated'];
const participants = ['handler', 'provider', 'record', 'source'];

// What a diagram holds must be ours: a text that leaves its label would add a participant or a state.
async function faultOf(text) {
  let diagram;
  try {
    // this registers the kinds of diagrams, which the next call needs
    await mermaid.parse(text);
    diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  } catch (error) {
    return error.message.split('\n').slice(0, 4).join(' ');
  }
  if (diagram.type === 'sequence') {
    const found = [...diagram.db.getActors().keys()].sort();
    return String(found) === String(participants) ? null : `its participants are ${found}`;
  }
  const found = [...diagram.db.getStates().keys()].filter((state) => !/^root_(start|end)$/.test(state));
  const foreign = found.filter((state) => !states.includes(state));
  return foreign.length === 0 ? null : `it has foreign states: ${foreign}`;
}

let diagrams = 0;
let faults = 0;
for (const path of documents) {
  const markdown = readFileSync(path, 'utf8');
  for (const [whole, text] of markdown.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)) {
    diagrams += 1;
    const fault = await faultOf(text);
    if (fault) {
      faults += 1;
      const line = markdown.slice(0, markdown.indexOf(whole)).split('\n').length;
      console.error(`${path}:${line}: ${fault}`);
    }
  }
}
console.log(`${diagrams} diagrams, ${faults} with faults`);

const bundle = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/mermaid/dist/mermaid.min.js');
const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 1012px; margin: 2em auto; color: #1f2328 }
table { border-collapse: collapse; display: block; overflow: auto; margin: 1em 0 } th, td { border: 1px solid #d1d9e0; padding: 6px 13px }
code { background: #eff1f3; padding: .2em .4em; border-radius: 6px; font-size: 85% } pre.mermaid { text-align: center }`;
mkdirSync(join(out, 'pages'), { recursive: true });
for (const path of documents) {
  const name = basename(dirname(dirname(path)));
  const body = marked
    .parse(readFileSync(path, 'utf8'))
    .replace(/<pre><code class="language-mermaid">([\s\S]*?)<\/code><\/pre>/g, '<pre class="mermaid">$1</pre>');
  writeFileSync(
    join(out, 'pages', `${name}.html`),
    `<!doctype html><meta charset="utf-8"><style>${style}</style>${body}<script src="file://${bundle}"></script>
<script>mermaid.initialize({ startOnLoad: true, securityLevel: 'strict' })</script>`,
  );
}
process.exit(faults === 0 ? 0 : 1);

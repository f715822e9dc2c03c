// Colours for PTX: a line of it is a label, a directive or an instruction with operands (PTX ISA 9.0, 4.2 to 4.4).
import { StreamLanguage, type StringStream } from '@codemirror/language';

interface State {
  comment: boolean;
  /** The next word is an instruction. */
  begins: boolean;
}

function token(stream: StringStream, state: State): string | null {
  if (state.comment) {
    state.comment = !stream.skipTo('*/');
    if (state.comment) stream.skipToEnd();
    else stream.match('*/');
    return 'comment';
  }
  if (stream.sol()) state.begins = true;
  if (stream.eatSpace()) return null;
  if (stream.match('//')) return stream.skipToEnd(), 'comment';
  if (stream.match('/*')) return (state.comment = true), 'comment';
  if (stream.match(/^"[^"]*"?/)) return 'string';
  if (stream.match(/^@!?%?[\w$]+/)) return 'modifier';
  if (stream.match(/^%(?:(?:n?tid|n?ctaid|clusterid|nclusterid)(?:\.[xyz])?|laneid|n?warpid|n?smid|gridid|lanemask_\w+|clock\w*|pm\d|globaltimer\w*|dynamic_smem_size|total_smem_size|is_explicit_cluster|cluster_\w+|envreg\d+)\b/))
    return 'atom';
  if (stream.match(/^%[\w$]+/)) return 'variableName';
  if (stream.match(/^0[fFdD][0-9a-fA-F]+|^0[xX][0-9a-fA-F]+U?|^0[bB][01]+U?|^\d+\.?\d*(?:[eE][-+]?\d+)?U?/)) return 'number';
  if (stream.match(/^\.[a-zA-Z]\w*/)) return state.begins && stream.current() !== '.param' ? ((state.begins = false), 'keyword') : 'typeName';
  if (stream.match(/^[\w$]+(?=\s*:(?!:))/)) return 'labelName';
  const word = stream.match(/^[a-zA-Z_$][\w$]*/) as RegExpMatchArray | null;
  if (word) {
    if (!state.begins) return null;
    state.begins = false;
    stream.match(/^(?:(?:\.|::)[\w]+)+/);
    return 'operatorKeyword';
  }
  const c = stream.next();
  if (c === ';' || c === '{' || c === '}') state.begins = true;
  return null;
}

export const ptx = StreamLanguage.define<State>({
  name: 'ptx',
  startState: () => ({ comment: false, begins: true }),
  token,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});

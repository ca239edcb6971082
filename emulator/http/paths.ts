/** The patterns that a path fits, those with a parameter where others have a word first, and the values of parameters. */
export interface PathMatch {
  readonly patterns: readonly string[];
  readonly params: Readonly<Record<string, string>>;
}

export type PathFinder = (path: string) => PathMatch;

interface Node {
  words: Map<string, Node> | undefined;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  pattern: string | undefined;
}

const createNode = (): Node => ({ words: undefined, parameter: undefined, pattern: undefined });

function below(node: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    const name = segment.slice(1);
    node.parameter ??= { name, node: createNode() };
    if (node.parameter.name !== name)
      throw new Error(`one place of a path is named ${node.parameter.name} and ${name}`);
    return node.parameter.node;
  }
  node.words ??= new Map();
  const next = node.words.get(segment) ?? createNode();
  node.words.set(segment, next);
  return next;
}

/** Follows a path from a node. Adds the patterns that it fits to `found`, and its parameters to `params`. */
function walk(node: Node, path: string, from: number, found: string[], params: Record<string, string>): boolean {
  const { words, parameter, pattern } = node;
  if (from > path.length) {
    if (pattern !== undefined) found.push(pattern);
    return pattern !== undefined;
  }
  const slash = path.indexOf('/', from);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(from, end);
  const fits = parameter !== undefined && end > from && walk(parameter.node, path, end + 1, found, params);
  if (fits) params[parameter.name] = segment;
  const word = words?.get(segment);
  return (word !== undefined && walk(word, path, end + 1, found, params)) || fits;
}

/**
 * Finds paths by their segments. `:name` in a pattern stands for one segment that is not empty, as it is in the path. The
 * finder holds nothing of an emulator: those with the same paths may share it.
 */
export function createPathFinder(patterns: readonly string[]): PathFinder {
  const root = createNode();
  for (const pattern of patterns) pattern.split('/').slice(1).reduce(below, root).pattern = pattern;

  return (path) => {
    const found: string[] = [];
    const params: Record<string, string> = {};
    walk(root, path, 1, found, params);
    return { patterns: found, params };
  };
}

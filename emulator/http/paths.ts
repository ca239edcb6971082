/** The patterns that a path fits, those with a parameter where others have a word first, and the values of parameters. */
export interface PathMatch {
  readonly patterns: readonly string[];
  readonly params: Readonly<Record<string, string>>;
}

/** Which of its patterns a path fits. */
export type PathFinder = (path: string) => PathMatch;

interface Node {
  readonly words: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  pattern: string | undefined;
}

const createNode = (): Node => ({ words: new Map(), parameter: undefined, pattern: undefined });

function below(node: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    const name = segment.slice(1);
    node.parameter ??= { name, node: createNode() };
    if (node.parameter.name !== name)
      throw new Error(`one place of a path is named ${node.parameter.name} and ${name}`);
    return node.parameter.node;
  }
  const next = node.words.get(segment) ?? createNode();
  node.words.set(segment, next);
  return next;
}

/**
 * Finds paths by their segments. `:name` in a pattern stands for one segment that is not empty, as it is in the path. The
 * finder holds nothing of an emulator: those with the same paths may share it.
 */
export function createPathFinder(patterns: readonly string[]): PathFinder {
  const root = createNode();
  for (const pattern of patterns) pattern.split('/').reduce(below, root).pattern = pattern;

  return (path) => {
    const segments = path.split('/');
    const found: string[] = [];
    const params: Record<string, string> = {};
    const walk = ({ words, parameter, pattern }: Node, at: number): boolean => {
      const segment = segments[at];
      if (segment === undefined) {
        if (pattern !== undefined) found.push(pattern);
        return pattern !== undefined;
      }
      const fits = parameter !== undefined && segment !== '' && walk(parameter.node, at + 1);
      if (fits) params[parameter.name] = segment;
      const word = words.get(segment);
      return (word !== undefined && walk(word, at + 1)) || fits;
    };
    walk(root, 0);
    return { patterns: found, params };
  };
}

/** Gives each heading of a page the anchor that GitHub gives it: links work in the repository and in the portal. */
export function createAnchors(): (heading: string) => string {
  const taken = new Set<string>();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let n = 1; taken.has(anchor); n++) anchor = `${name}-${n}`;
    taken.add(anchor);
    return anchor;
  };
}

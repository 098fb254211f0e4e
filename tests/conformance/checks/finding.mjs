// What a check says, in the words of the OpenID Foundation's suite: a FAILURE ends a certification, a WARNING does not.
// A check is a function that answers a list of findings { level, text }, empty when all is well.

/// Rows of [whether it is bad, level, text]; a function in the first place is bad, too, when it throws.
export function findings(...rows) {
  const isBad = (bad) => {
    if (typeof bad !== "function") return bad;
    try {
      return bad();
    } catch {
      return true;
    }
  };
  return rows.filter(([bad]) => isBad(bad)).map(([, level, text]) => ({ level, text }));
}

/// The worst level of some findings; undefined when there is none.
export const worst = (list) => list.find(({ level }) => level === "FAILURE")?.level ?? list[0]?.level;

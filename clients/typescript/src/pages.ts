/** Fetches pages until the last one. The first is fetched with the caller's own cursor, if any. */
export async function* followCursor<Page extends { next_cursor: string | null }>(
  fetchPage: (cursor: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let page = await fetchPage({});
  yield page;
  while (page.next_cursor !== null) {
    page = await fetchPage({ cursor: page.next_cursor });
    yield page;
  }
}

// What an import costs by itself: `cold-import` is measured against it.
export {};

import Sqlite from 'better-sqlite3'

/**
 * Makes the store itself fail when a remark with one of these texts is written, as a disk would: `abort` undoes the
 * statement, `rollback` ends the whole transaction (what SQLite does by itself on a full disk), `poison` lets every
 * statement pass and fails the COMMIT.
 */
export function setTraps(path: string): void {
  const db = new Sqlite(path)
  db.exec(`
    create table hostage (id integer references task (id) deferrable initially deferred);
    create trigger trap_abort after insert on comment when new.text = 'abort'
      begin select raise(abort, 'trapped'); end;
    create trigger trap_rollback after insert on comment when new.text = 'rollback'
      begin select raise(rollback, 'trapped'); end;
    create trigger trap_commit after insert on comment when new.text = 'poison'
      begin insert into hostage (id) values (-1); end;`)
  db.close()
}

/** Every row of every table, as text: two stores with the same answer hold the same. */
export function dumpStore(path: string): string {
  const db = new Sqlite(path, { readonly: true })
  try {
    const tables = db.prepare(`select name from sqlite_schema where type = 'table' order by name`).pluck().all()
    return tables
      .map((name) => `${name}\n${JSON.stringify(db.prepare(`select * from "${name}"`).all(), null, 1)}`)
      .join('\n')
  } finally {
    db.close()
  }
}

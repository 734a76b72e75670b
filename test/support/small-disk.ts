import { execFile } from 'node:child_process';
import { chown, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PIECE = Buffer.alloc(1024 * 1024);

/** A file system of its own that can be filled, without any harm to others. */
export interface SmallDisk {
  /** A directory on it. */
  readonly path: string;
  /** Takes all the space that is left. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** For good. Whoever has files there must have ended. */
  remove(): Promise<void>;
}

/**
 * @param ownedAs a file or directory whose owner shall own the new one
 * @returns null where nothing can be mounted
 */
export async function mountSmallDisk(
  mountPoint: string,
  ownedAs: string,
  megabytes: number,
): Promise<SmallDisk | null> {
  await mkdir(mountPoint, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', mountPoint]);
  } catch {
    return null; // no root, or a container that may not
  }
  const path = join(mountPoint, 'data');
  await mkdir(path, { mode: 0o700 });
  const { uid, gid } = await stat(ownedAs);
  await chown(path, uid, gid);
  const filler = join(mountPoint, 'filler');
  return {
    path,
    async fill() {
      const file = await open(filler, 'a');
      try {
        for (let { length } = PIECE; length > 0;) {
          length = await file.write(PIECE, 0, length).then(
            ({ bytesWritten }) => bytesWritten,
            (error: NodeJS.ErrnoException) => {
              if (error.code !== 'ENOSPC') throw error;
              return length > 4_096 ? length / 2 : 0;
            },
          );
        }
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
    async remove() {
      await run('umount', ['-l', mountPoint]);
    },
  };
}

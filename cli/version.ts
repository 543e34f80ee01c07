/** Equal to the version in package.json, as a test asserts: the command reads no file to say it. */
export const version = "0.1.0";

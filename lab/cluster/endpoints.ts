import { adminLink } from "../fabric/underlay.js";
import { underlay } from "../topology.js";

const API_PORT = 6443;

/** Where each user of the API server finds it. */
export const apiServer = {
  port: API_PORT,
  /** On the underlay, for nodes. */
  fromNodes: `https://${underlay.controlPlane}:${API_PORT}`,
  /** Inside the control plane's own namespace. */
  fromControlPlane: `https://127.0.0.1:${API_PORT}`,
  /** In the lab's root namespace, for kubectl, pulumi and tests. */
  fromAdmin: `https://${adminLink.controlPlane}:${API_PORT}`,
} as const;

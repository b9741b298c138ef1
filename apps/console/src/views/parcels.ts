/** The views of parcels: one part, loaded when the first of them is shown. */
export { Add } from './add/add.tsx';
export { ShipmentPage } from './shipment/shipment.tsx';
export { Shipments } from './shipments/shipments.tsx';
